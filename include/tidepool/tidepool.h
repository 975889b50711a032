/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tidepool: native memory with a lifetime, an owner and a budget.
 *
 * This header is all of them. One noun per header, from the floor up:
 *
 *     base      status.h   what a call reports           fault.h   what happens when it can't
 *               owner.h    who an arena belongs to       config.h  knobs, version
 *     memory    bytes.h    scalars in raw memory         charset.h text to and from UTF-8
 *     manager   manager.h  where memory comes from
 *     lifetime  scope.h    lifetimes and holds           arena.h   memory that dies together
 *               pool.h     a thread's ready memory       segment.h checked views
 *               access.h   one value at a time           bulk.h    many bytes behind one check
 *               mapping.h  files as segments             shared.h  arenas of several threads
 *               grace.h    what their closing waits for
 *               atomic.h   what several threads change   span.h    checked once, then raw
 *               carver.h   allocation inside a segment
 *               text.h     text in segments
 */
#ifndef TIDEPOOL_H
#define TIDEPOOL_H

#include "access.h"
#include "arena.h"
#include "atomic.h"
#include "bulk.h"
#include "bytes.h"
#include "carver.h"
#include "charset.h"
#include "config.h"
#include "fault.h"
#include "grace.h"
#include "manager.h"
#include "mapping.h"
#include "owner.h"
#include "pool.h"
#include "scope.h"
#include "segment.h"
#include "shared.h"
#include "span.h"
#include "status.h"
#include "text.h"

#endif
