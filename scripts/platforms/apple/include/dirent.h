// directory(3), dir(5).
#ifndef APPLE_DIRENT_H
#define APPLE_DIRENT_H
#include <sys/types.h>
typedef struct _dirdesc DIR;
struct dirent {
  uint64_t d_ino;
  uint64_t d_seekoff;
  uint16_t d_reclen;
  uint16_t d_namlen;
  uint8_t d_type;
  char d_name[1024];
};
DIR *fdopendir(int);
struct dirent *readdir(DIR *);
int closedir(DIR *);
#endif
