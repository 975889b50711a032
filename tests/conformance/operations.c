/* SPDX-License-Identifier: Apache-2.0 */
/* Every operation of the format: its arguments, and what carries it out. */
#include <string.h>

#include "replay.h"

static const replay_operation operations[] = {
    {"open", "arena kind", operation_open},
    {"close", "arena", operation_close},
    {"alive", "arena", operation_alive},
    {"cleanup", "arena id fails? reads? tries?", operation_cleanup},
    {"hold", "arena id", operation_hold},
    {"unhold", "id", operation_unhold},

    {"alloc", "arena seg size align", operation_alloc},
    {"alloc_from_string", "arena seg text charset", operation_alloc_from_string},
    {"alloc_from_array", "arena seg type order values", operation_alloc_from_array},
    {"of_address", "id value", operation_of_address},
    {"slicing_allocator", "id seg", operation_slicing_allocator},
    {"prefix_allocator", "id seg", operation_prefix_allocator},
    {"slicing_alloc", "id seg size align", operation_carver_alloc},
    {"prefix_alloc", "id seg size align", operation_carver_alloc},

    {"slice", "seg id offset size? align?", operation_slice},
    {"read_only", "seg id", operation_read_only},
    {"reinterpret", "seg id size arena? cleanup? fails?", operation_reinterpret},
    {"info", "seg", operation_info},
    {"elements", "seg type aligned", operation_elements},
    {"overlap", "a b", operation_overlap},
    {"segment_equal", "a b", operation_segment_equal},
    {"scope_equal", "a b", operation_scope_equal},
    {"is_accessible_by", "seg target", operation_is_accessible_by},

    {"get", "seg type order aligned offset", operation_get},
    {"set", "seg type order aligned offset value", operation_set},
    {"get_at_index", "seg type order aligned index", operation_get_at_index},
    {"set_at_index", "seg type order aligned index value", operation_set_at_index},
    {"read", "seg offset size", operation_read},
    {"write", "seg offset bytes", operation_write},
    {"hash", "seg", operation_hash},
    {"to_array", "seg type order aligned", operation_to_array},

    {"fill", "seg value", operation_fill},
    {"copy", "src src_off dst dst_off bytes", operation_copy},
    {"copy_elements", "src src_type src_order src_off dst dst_type dst_order dst_off count aligned",
     operation_copy_elements},
    {"mismatch", "a a_from a_to b b_from b_to", operation_mismatch},

    {"get_string", "seg offset charset", operation_get_string},
    {"set_string", "seg offset text charset", operation_set_string},

    {"file", "file size", operation_file},
    {"map", "arena seg file mode offset size", operation_map},
    {"force", "seg", operation_force},
    {"file_hash", "file", operation_file_hash},
};

const replay_operation *replay_operation_find(const char *name)
{
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        if (strcmp(operations[i].name, name) == 0)
            return &operations[i];
    }
    return NULL;
}
