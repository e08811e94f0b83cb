"""GDAL's C interface to files."""

import ctypes
import ctypes.util

gdal = ctypes.CDLL(ctypes.util.find_library("gdal"))
gdal.VSIFOpenL.restype = ctypes.c_void_p
gdal.VSIFOpenL.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
gdal.VSIFReadMultiRangeL.argtypes = [
    ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(ctypes.c_size_t),
    ctypes.c_void_p]
gdal.VSIFSeekL.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_int]
gdal.VSIFReadL.restype = ctypes.c_size_t
gdal.VSIFReadL.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p]
# Opening looks at the object, not at what lies beside it.
gdal.CPLSetConfigOption(b"GDAL_DISABLE_READDIR_ON_OPEN", b"EMPTY_DIR")
