#!/usr/bin/env python3
"""Writes an encrypted spill directory as Docs/Formats/EncryptedSpill.md says, by other cryptography than the library's: the package
`cryptography` of Python. The files beside this one are what it wrote.

Usage: make.py  (writes store.hex and 0000000000000001.hex)
"""
import hashlib
import hmac
import os
import struct

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY, NUMBER = bytes(range(32)), 7
SALT, FOOTER_SALT = bytes(range(100, 132)), bytes(range(200, 232))
DIRECTORY, EPOCH, SEGMENT, TIME = 0x0123456789ABCDEF, 1, 1, 1_700_000_000_123_456_789


def crc(data, polynomial=0x82F63B78):
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (polynomial if value & 1 else 0)
    return struct.pack("<I", value ^ 0xFFFFFFFF)


def start(kind):
    head = b"RIOSPILL" + struct.pack("<HBB", 1, kind, 0)
    return head + crc(head)


def derive(salt, info):
    keys = HKDF(SHA256(), 80, salt, info).derive(KEY)
    return keys[:32], keys[32:64], keys[64:]


def padded(data):
    return data + bytes(-len(data) % 8)


store = start(1) + struct.pack("<QQqBB", DIRECTORY, EPOCH, TIME, 0, 1) + bytes(18)
store += crc(store)

fixed = start(3) + struct.pack("<QQQqQI", DIRECTORY, EPOCH, SEGMENT, TIME, 0, NUMBER)
check = crc(fixed)
key, mask_key, proof = derive(SALT, b"RIOSPILL records" + fixed)
rest = SALT + proof + bytes(12)
segment = fixed + check + rest + crc(rest)
assert len(segment) == 128


def protected(kind, codec, source, identity_check, block, sequence, time, lower, count, stored):
    return b"RIOR" + struct.pack(
        "<BBHI4sQQqIII", kind, codec, 0, source, identity_check, block, sequence, time, lower, count, stored)


def record(at, kind, source, identity_check, block, sequence, lower, count, plain, identity):
    head = protected(kind, 0, source, identity_check, block, sequence, TIME, lower, count, len(plain) + 16)
    nonce = bytes(4) + struct.pack("<Q", sequence)
    payload = AESGCM(key).encrypt(nonce, plain, head + struct.pack("<Q", at) + identity)
    mask = hmac.new(mask_key, struct.pack("<Q", sequence), hashlib.sha256).digest()
    masked = bytearray(head)
    for index, place in enumerate(list(range(8, 24)) + list(range(40, 48))):
        masked[place] ^= mask[index]
    masked = bytes(masked) + crc(payload) + check
    return padded(masked + crc(masked) + payload)


# The source "a", named "b", of version "0", with 100 bytes on a grid of 4096; its block 0; a removal of block 5.
named = struct.pack("<IIQII", 12, 1, 100, 1, 1) + b"a0b"
identity = struct.pack("<IIQII", 12, 1, 100, 1, 0) + b"a0"
places = []
for make in [
    lambda at: record(at, 2, 0, crc(identity), 0, 1, 0, 0, named, b""),
    lambda at: record(at, 1, 0, crc(identity), 0, 2, 0, 100, bytes(100), identity),
    lambda at: record(at, 3, 0, crc(identity), 5, 3, 0, 0, struct.pack("<QQ", 6, 3), identity),
]:
    places.append(len(segment))
    segment += make(len(segment))

at = len(segment)
plain = struct.pack("<IIIIQQ", 1, 1, 1, 0, 1, 3)
plain += struct.pack("<II", len(named), 0) + padded(named)
plain += struct.pack("<IIQQQ", 0, 0, 5, 6, 3)
plain += struct.pack("<QqIIIIII", 0, TIME, places[1] // 8, 116, 0, 0, 100, 1)
head = protected(4, 0, 0, bytes(4), 0, 4, 0, 0, 0, 32 + len(plain) + 16)
footer_key, _, _ = derive(FOOTER_SALT, b"RIOSPILL footers" + fixed + SALT)
payload = FOOTER_SALT + AESGCM(footer_key).encrypt(bytes(12), plain, head + struct.pack("<Q", at))
head += crc(payload) + check
segment += padded(head + crc(head) + payload)
trailer = b"RIOT" + struct.pack("<IQQ", 0, at, len(segment) + 32) + check
segment += trailer + crc(trailer)

folder = os.path.dirname(os.path.abspath(__file__))
for name, data in [("store", store), ("0000000000000001", segment)]:
    with open(os.path.join(folder, name + ".hex"), "w") as file:
        text = data.hex()
        file.write("\n".join(text[i:i + 64] for i in range(0, len(text), 64)) + "\n")
