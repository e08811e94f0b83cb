// statfs(2), with inodes of 64 bits.
#ifndef APPLE_SYS_MOUNT_H
#define APPLE_SYS_MOUNT_H
#include <sys/types.h>
#define MNT_LOCAL 0x00001000
#define MFSTYPENAMELEN 16
typedef struct fsid {
  int32_t val[2];
} fsid_t;
struct statfs {
  uint32_t f_bsize;
  int32_t f_iosize;
  uint64_t f_blocks;
  uint64_t f_bfree;
  uint64_t f_bavail;
  uint64_t f_files;
  uint64_t f_ffree;
  fsid_t f_fsid;
  uid_t f_owner;
  uint32_t f_type;
  uint32_t f_flags;
  uint32_t f_fssubtype;
  char f_fstypename[MFSTYPENAMELEN];
  char f_mntonname[1024];
  char f_mntfromname[1024];
  uint32_t f_flags_ext;
  uint32_t f_reserved[7];
};
int fstatfs(int, struct statfs *);
#endif
