/* The yard: two gates and a lamp, and the runtime that acts on them. Interlock asks it; nobody else changes the yard.
 */
#ifndef YARD_H
#define YARD_H

#include <interlock.h>

struct world {
    bool gate_open[2];
    bool lamp_on;
    unsigned acts;       /* how often something was done */
    il_host *host;       /* who is told that it was */
};

/* The runtime of a world, which must outlive the host. */
struct il_runtime world_runtime(struct world *world);

#endif
