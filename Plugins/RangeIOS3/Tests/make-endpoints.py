#!/usr/bin/env python3
"""Writes endpoints.jsonl beside this file: buckets and settings, and where botocore's endpoint rules send a GET.

Run it where botocore is installed. The tests compare RangeIOS3's choice with every line.
"""
import itertools
import json
import logging
import pathlib

from botocore.endpoint_provider import EndpointProvider
from botocore.exceptions import EndpointProviderError
from botocore.loaders import Loader

REGIONS = ["us-east-1", "eu-central-1", "cn-north-1", "us-gov-west-1", "us-iso-east-1", "us-isob-east-1", "eu-isoe-west-1",
           "us-isof-south-1", "eusc-de-east-1", "xx-new-1"]
SWITCHES = list(itertools.product([False, True], repeat=2))
BUCKETS = [
    "bucket", "my.bucket", "Bucket", "bu", "bucket-", "-bucket", "b_u", "192.168.1.1", "bucket-name-9", "a" * 63, "a" * 64,
    "my-access-point-abcdefghijklmnopqrstuvwxyz12-s3alias",
]
DIRECTORIES = [
    "base--use1-az4--x-s3", "a-b--usw2-az1--x-s3", "base--test-ab1--x-s3", "base--usw2-lax1-az1--x-s3", "base--use1-az12--x-s3",
    "point--use1-az4--xa-s3",
]
POINTS = [
    "arn:aws:s3:us-west-2:123456789012:accesspoint/name", "arn:aws:s3:us-west-2:123456789012:accesspoint:name",
    "arn:aws-cn:s3:cn-north-1:123456789012:accesspoint/name", "arn:aws-us-gov:s3:us-gov-west-1:123456789012:accesspoint/my-name",
    "arn:aws:s3:us-east-1:123456789012:accesspoint/name", "arn:aws:s3::123456789012:accesspoint/mfzwi23gnjvgw.mrap",
    "arn:aws:s3-outposts:us-west-2:123456789012:outpost/op-01234567890123456/accesspoint/name",
    "arn:aws:s3-object-lambda:us-west-2:123456789012:accesspoint/name", "arn:aws:s3:us-west-2:123456789012:bucket/name",
    "arn:aws:s3:us-west-2:12345:accesspoint/", "arn:aws:s3:us-west-2:123456789012:accesspoint/a.b",
    "arn:aws:s3:us-west-2:123_456:accesspoint/name", "arn:aws:sqs:us-west-2:123456789012:accesspoint/name",
    "arn:aws:s3:us-west-2::accesspoint/name", "arn:aws:s3:us-west-2:123456789012:accesspoint",
    "arn:aws:s3:us west:123456789012:accesspoint/name", "arn:aws:s3:us-west-2:123456789012:accesspoint/name/more",
]


def cases():
    def case(bucket=None, region="us-east-1", fips=False, dual=False, path=False, endpoint=None, arn_region=True, service="s3"):
        return {"service": service, "bucket": bucket, "region": region, "fips": fips, "dual": dual, "path": path,
                "endpoint": endpoint, "arnRegion": arn_region}

    for region, (fips, dual) in itertools.product(REGIONS, SWITCHES):
        yield case("bucket", region, fips, dual)
        yield case("bucket", region, fips, dual, path=True)
        for service in ("sts", "sso", "sso-oidc", "signin"):
            yield case(None, region, fips, dual, service=service)
    for bucket in BUCKETS:
        yield case(bucket)
        yield case(bucket, "eu-central-1", True, True)
    for bucket, (fips, dual) in itertools.product(DIRECTORIES, SWITCHES):
        yield case(bucket, "us-east-1" if "use1" in bucket else "us-west-2", fips, dual)
    yield case(DIRECTORIES[0], path=True)
    for bucket in ("base--use1-az4--x-s3", "plain"):
        for endpoint in ("https://store.example:9000", "http://127.0.0.1:9000"):
            for path, dual in itertools.product([False, True], [False, True]):
                yield case(bucket, path=path, dual=dual, endpoint=endpoint)
    for point, (fips, dual) in itertools.product(POINTS, SWITCHES):
        yield case(point, "us-west-2", fips, dual)
    for point in POINTS[:5]:
        yield case(point, "us-west-2", path=True)
        yield case(point, "eu-central-1", arn_region=False)
        yield case(point, "eu-central-1")
        yield case(point, "us-west-2", endpoint="https://store.example")
        yield case(point, "cn-north-1")


RULES = {}


def answer(case):
    """The URL of the bucket, and the scope of signatures; or the refusal."""
    service = case["service"]
    if service not in RULES:
        loader = Loader()
        RULES[service] = EndpointProvider(loader.load_service_model(service, "endpoint-rule-set-1"), loader.load_data("partitions"))
    parameters = {"Region": case["region"], "UseFIPS": case["fips"], "UseDualStack": case["dual"]}
    if service == "s3":
        parameters |= {"Bucket": case["bucket"], "ForcePathStyle": case["path"], "UseArnRegion": case["arnRegion"],
                       "Accelerate": False, "UseGlobalEndpoint": False, "DisableMultiRegionAccessPoints": False}
        if case["endpoint"]:
            parameters["Endpoint"] = case["endpoint"]
    try:
        found = RULES[service].resolve_endpoint(**parameters)
    except EndpointProviderError as error:
        return {"error": str(error)}
    schemes = found.properties.get("authSchemes", [])
    scheme = schemes[0] if schemes else {}
    return {"url": found.url, "auth": scheme.get("name"), "signingName": scheme.get("signingName"),
            "signingRegion": scheme.get("signingRegion")}


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    lines = [json.dumps({"number": number, **case, "found": answer(case)}, sort_keys=True) for number, case in enumerate(cases())]
    path = pathlib.Path(__file__).with_name("endpoints.jsonl")
    path.write_text("\n".join(lines) + "\n")
    print(f"{len(lines)} cases")
