// liblz4 of the system. Apple platforms do not use this: their library Compression has LZ4.
#include <lz4.h>
