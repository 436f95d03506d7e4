/* Waiting without spinning: for the descriptors of a host, a signal that asks to stop, or a time.
 * Uses poll and a signalfd. Must never wait past what the host asked for. */
#ifndef IL_CLI_WAITING_H
#define IL_CLI_WAITING_H

#include "include/interlock.h"

/* Holds SIGINT, SIGTERM and SIGHUP back and gives the descriptor that tells of them; -1 when there is none. */
int il__signals_open(void);
/* From now a signal ends the process as it would by itself. */
void il__signals_release(void);
/* Waits until the host has something to do, a signal came, or `ms` are over. True: a signal came, and is taken. */
bool il__wait(il_host *host, int signals, int64_t ms);
int64_t il__now_ms(void);

#endif
