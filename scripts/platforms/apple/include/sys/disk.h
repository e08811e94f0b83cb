// <sys/disk.h>.
#ifndef APPLE_SYS_DISK_H
#define APPLE_SYS_DISK_H
#include <sys/ioctl.h>
#include <sys/types.h>
#define DKIOCGETBLOCKSIZE _IOR('d', 24, uint32_t)
#define DKIOCGETBLOCKCOUNT _IOR('d', 25, uint64_t)
#endif
