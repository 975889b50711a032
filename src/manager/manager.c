/* SPDX-License-Identifier: Apache-2.0 */
/* The checked calls: what a program and the library's higher floors go through. The operations of
 * a table note no errors, since a program's own can't; everything is noted here. */
#include <tidepool/manager.h>

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/lock.h"

#define KNOWN_FLAGS    (TIDE_MANAGER_ZEROED | TIDE_MANAGER_PAGED | TIDE_MANAGER_NO_MEMORY)
#define KNOWN_REQUESTS TIDE_REQUEST_ZEROED

static tide_object named(const tide_manager *manager)
{
    return (tide_object){"manager", manager, manager->name};
}

/* Every call of an operation comes through here. */
static tide_status check_table(const tide_manager *manager, const char *operation)
{
    tide_assert_unlocked();
    if (manager == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, operation, TIDE_NO_OBJECT,
                                "the manager's table is NULL");
    /* Nothing behind the size is read before it is known to be there. */
    const tide_object nameless = {"manager", manager, NULL};
    if (manager->struct_size != sizeof *manager)
        return TIDE_ERROR(TIDE_INVALID_ARGUMENT, operation, nameless,
                          "the table's struct_size is %" PRIu64 ", this library knows %" PRIu64,
                          manager->struct_size, sizeof *manager);
    if (manager->name == NULL || manager->name[0] == '\0')
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, operation, nameless,
                                "the table has no name");
    if ((manager->flags & ~KNOWN_FLAGS) != 0)
        return TIDE_ERROR(TIDE_INVALID_ARGUMENT, operation, named(manager),
                          "the table's flags are 0x%" PRIx64 ", this library knows 0x%" PRIx64,
                          (uint64_t)manager->flags, (uint64_t)KNOWN_FLAGS);
    if (manager->allocate == NULL || manager->free == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, operation, named(manager),
                                "allocate and free are required, one is NULL");
    return TIDE_OK;
}

/* The table, and a size and alignment to go with it. A size of 0 counts as 1. */
static tide_status check_call(const tide_manager *manager, const char *operation, size_t *size,
                              size_t alignment)
{
    tide_status status = check_table(manager, operation);
    if (status != TIDE_OK)
        return status;
    if (*size > PTRDIFF_MAX)
        return TIDE_ERROR(TIDE_INVALID_ARGUMENT, operation, named(manager),
                          "a size of %" PRIu64 " bytes, the most is %" PRIu64, *size,
                          (uint64_t)PTRDIFF_MAX);
    if (!tide_is_alignment(alignment))
        return TIDE_ERROR(TIDE_INVALID_ARGUMENT, operation, named(manager),
                          "an alignment of %" PRIu64 ", good is a power of two up to 2^62",
                          alignment);
    *size += *size == 0;
    return TIDE_OK;
}

static tide_status out_of_memory(const tide_manager *manager, const char *operation, size_t size,
                                 size_t alignment)
{
    return TIDE_ERROR(TIDE_OUT_OF_MEMORY, operation, named(manager),
                      "no memory for %" PRIu64 " bytes aligned to %" PRIu64, size, alignment);
}

tide_status tide_manager_check(const tide_manager *manager)
{
    return check_table(manager, "check");
}

void *tide_manager_allocate(const tide_manager *manager, size_t size, size_t alignment,
                            unsigned request)
{
    if (check_call(manager, "allocate", &size, alignment) != TIDE_OK)
        return NULL;
    if ((request & ~KNOWN_REQUESTS) != 0) {
        TIDE_ERROR(TIDE_INVALID_ARGUMENT, "allocate", named(manager),
                   "a request of 0x%" PRIx64 ", this library knows 0x%" PRIx64, (uint64_t)request,
                   (uint64_t)KNOWN_REQUESTS);
        return NULL;
    }
    void *block = manager->allocate(manager->context, size, alignment, request);
    if (block == NULL)
        out_of_memory(manager, "allocate", size, alignment);
    return block;
}

#define REFUSED " of %" PRIu64 " bytes at 0x%" PRIx64 " was refused by the manager"

tide_status tide_manager_free(const tide_manager *manager, void *block, size_t size,
                              size_t alignment)
{
    tide_status status = check_call(manager, "free", &size, alignment);
    if (status != TIDE_OK || block == NULL)
        return status;
    status = manager->free(manager->context, block, size, alignment);
    if (status == TIDE_OK)
        return TIDE_OK;
    return TIDE_ERROR(status, "free", named(manager), REFUSED, size, (uintptr_t)block);
}

tide_status tide_manager_reallocate(const tide_manager *manager, void **block, size_t old_size,
                                    size_t new_size, size_t alignment)
{
    tide_status status = check_call(manager, "reallocate", &old_size, alignment);
    if (status == TIDE_OK)
        status = check_call(manager, "reallocate", &new_size, alignment);
    if (status != TIDE_OK)
        return status;
    if (block == NULL || *block == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "reallocate", named(manager),
                                " of a NULL block");
    void *old = *block;
    void *moved = manager->reallocate != NULL
                      ? manager->reallocate(manager->context, old, old_size, new_size, alignment)
                      : manager->allocate(manager->context, new_size, alignment, 0);
    if (moved == NULL)
        return out_of_memory(manager, "reallocate", new_size, alignment);
    *block = moved;
    if (manager->reallocate != NULL)
        return TIDE_OK;
    if ((manager->flags & TIDE_MANAGER_NO_MEMORY) == 0)
        memcpy(moved, old, old_size < new_size ? old_size : new_size);
    status = manager->free(manager->context, old, old_size, alignment);
    if (status == TIDE_OK)
        return TIDE_OK;
    return tide_error_note_end(
        status, "free", named(manager), REFUSED,
        (const uint64_t[TIDE_ERROR_NUMBERS]){old_size, (uint64_t)(uintptr_t)old});
}

size_t tide_manager_good_size(const tide_manager *manager, size_t size, size_t alignment)
{
    if (check_call(manager, "good size", &size, alignment) != TIDE_OK)
        return 0;
    return manager->good_size != NULL ? manager->good_size(manager->context, size, alignment)
                                      : size;
}

size_t tide_manager_usable_size(const tide_manager *manager, const void *block, size_t size,
                                size_t alignment)
{
    if (check_call(manager, "usable size", &size, alignment) != TIDE_OK)
        return 0;
    if (block == NULL) {
        TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "usable size", named(manager), " of a NULL block");
        return 0;
    }
    return manager->usable_size != NULL
               ? manager->usable_size(manager->context, block, size, alignment)
               : size;
}

size_t tide_manager_trim(const tide_manager *manager)
{
    if (check_table(manager, "trim") != TIDE_OK || manager->trim == NULL)
        return 0;
    return manager->trim(manager->context);
}

tide_status tide_manager_statistics_get(const tide_manager *manager,
                                        tide_manager_statistics *statistics)
{
    tide_status status = check_table(manager, "statistics");
    if (status != TIDE_OK)
        return status;
    if (statistics == NULL)
        return TIDE_ERROR_PLAIN(TIDE_INVALID_ARGUMENT, "statistics", named(manager),
                                "the statistics to fill are NULL");
    if (statistics->struct_size != sizeof *statistics)
        return TIDE_ERROR(TIDE_INVALID_ARGUMENT, "statistics", named(manager),
                          "the statistics' struct_size is %" PRIu64 ", this library knows %" PRIu64,
                          statistics->struct_size, sizeof *statistics);
    *statistics = (tide_manager_statistics){.struct_size = sizeof *statistics};
    if (manager->statistics != NULL)
        manager->statistics(manager->context, statistics);
    return TIDE_OK;
}
