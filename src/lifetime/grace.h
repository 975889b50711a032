/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grace periods: how the closer of a shared scope knows that nobody reads its memory any more.
 *
 * A checked access to a shared scope is a *read section*: the thread stores a stamp in its own word
 * `reading`, looks at the scope's epoch, makes the access, and stores 0. A closer moves the epoch,
 * makes that visible to all threads, and then waits until every section that may have begun before
 * is over. Only threads inside a section are waited for, and only those sections: a stamp is the
 * *phase* in which the section began, and each grace period begins a new one, so a thread that
 * reads without pause is not waited for twice.
 *
 * What makes it right is that a reader's store of its stamp and its load of the epoch are not
 * exchanged, nor the closer's store of the epoch and its load of the stamp: then one of the two
 * sees the other. The reader pays nothing for it, the closer makes the kernel run a barrier on
 * every processor that runs a thread of the process (membarrier). Where the kernel has none, or the
 * knob says so, every section begins in the slow path with an exchange, which is such a barrier
 * itself.
 *
 * tests/model/section.pml is the model of it.
 */
#ifndef TIDEPOOL_LIFETIME_GRACE_H
#define TIDEPOOL_LIFETIME_GRACE_H

#include <tidepool/segment.h>

struct tide_home_thread;
struct tide_thread;

/* A read section that the slow path began. */
typedef struct tide_section {
    enum { TIDE_SECTION_NONE, TIDE_SECTION_OWN, TIDE_SECTION_STRAY } kind;
    struct tide_thread *thread; /* valid with OWN */
    uint64_t outer;             /* its stamp before: 0, or that of the section around it */
} tide_section;

/*
 * Owner, then liveness, of a segment's scope; notes what is wrong for `operation`. When OK, the
 * memory stays until tide_section_close(). Nothing of the program's may be called in between. Never
 * waits.
 */
tide_status tide_section_open(const tide_segment *segment, const char *operation,
                              tide_section *section);
void tide_section_close(const tide_section *section);

/* The same in two steps: nothing may be noted inside a section, since a fault handler may be
 * called. */
bool tide_section_try(const tide_segment *segment, tide_section *section);
tide_status tide_section_refuse(const tide_segment *segment, const char *operation);

/* The sections of an operation on two segments, the second inside the first: owner and liveness of
 * the first, then of the second. */
typedef struct tide_section_pair {
    tide_section first;
    tide_section second;
} tide_section_pair;

tide_status tide_section_open_both(const tide_segment *first, const tide_segment *second,
                                   const char *operation, tide_section_pair *pair);
void tide_section_close_both(const tide_section_pair *pair);

/* Whether the calling thread is inside a read section. */
bool tide_section_is_inside(void);

/* Returns when every section that began before the call is over. The caller is in none and
 * holds no lock. With `patience` false it gives up on a reader that stays, and says so by
 * returning false. */
bool tide_grace_wait(bool patience);

/* Under the lock of cells.h: the thread, new in the register, reads from now on. */
void tide_grace_enroll(struct tide_home_thread *thread);

/* In a fork's child: nobody else reads. */
void tide_grace_forked(void);

#endif
