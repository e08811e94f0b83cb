// So that zlib does not ask for mutable pointers to what it only reads.
#define ZLIB_CONST
#include <zlib.h>
