// sigaction(2), sigsetops(3), pthread_sigmask(2).
#ifndef APPLE_SIGNAL_H
#define APPLE_SIGNAL_H
#include <sys/types.h>
typedef uint32_t sigset_t;
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGFPE 8
#define SIGBUS 10
#define SIGSEGV 11
#define SIG_SETMASK 3
int sigfillset(sigset_t *);
int sigdelset(sigset_t *, int);
int pthread_sigmask(int, const sigset_t *, sigset_t *);
#endif
