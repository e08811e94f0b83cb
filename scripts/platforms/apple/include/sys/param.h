// <sys/param.h>, <sys/syslimits.h>.
#ifndef APPLE_SYS_PARAM_H
#define APPLE_SYS_PARAM_H
#define PATH_MAX 1024
#define MAXPATHLEN PATH_MAX
#endif
