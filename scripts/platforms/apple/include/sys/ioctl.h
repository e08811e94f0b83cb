// ioctl(2), <sys/ioccom.h>.
#ifndef APPLE_SYS_IOCTL_H
#define APPLE_SYS_IOCTL_H
#define IOCPARM_MASK 0x1fff
#define IOC_OUT 0x40000000u
#define _IOC(inout, group, num, len) (inout | ((len & IOCPARM_MASK) << 16) | ((group) << 8) | (num))
#define _IOR(g, n, t) _IOC(IOC_OUT, (g), (n), sizeof(t))
int ioctl(int, unsigned long, ...);
#endif
