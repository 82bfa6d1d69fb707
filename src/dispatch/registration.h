// SPDX-License-Identifier: Apache-2.0
// Linking and unlinking one registration. Everything that can fail is done
// before the first change; unlinking cannot fail and does not allocate.
// The registry's lock is held in all of them.
#ifndef OPYARD_SRC_DISPATCH_REGISTRATION_H_
#define OPYARD_SRC_DISPATCH_REGISTRATION_H_

#include "dispatch/registry.h"

// Whether |kernel| says one thing and no nonsense.
oy_status oyi_check_kernel(const oy_kernel_params* kernel);
// A record for a checked kernel of |library|, not linked. The state in |kernel|
// belongs to the record only once it is linked.
oy_status oyi_registration_create(oy_library* library, oyi_registration_kind kind,
                                  oy_place place, const oy_kernel_params* kernel,
                                  oy_registration** out_registration);
// The record of a definition; |text| is its schema without the name.
oy_status oyi_definition_create(oy_library* library, oy_place place, oy_str text,
                                const char* tags, oy_registration** out_registration);
// For a record that was never linked; leaves the kernel's state alone.
void oyi_registration_discard(oy_registration* registration);

// |schema|, parsed from the definition's text, is not kept.
oy_status oyi_link_def(oy_registration* registration, oyi_op* op,
                       const oy_schema* schema);
oy_status oyi_link_impl(oy_registration* registration, oyi_op* op, bool allow_override);
oy_status oyi_link_fallback(oy_registration* registration);
// Makes a linked record |library|'s to undo.
void oyi_registration_move(oy_registration* registration, oy_library* library);
// Undoes the link of any kind, and retires the record.
void oyi_unlink(oy_registration* registration);

// "The kernel does not fit the schema / another kernel": section 2.6.
oy_status oyi_check_schema(const oyi_op* op, const oy_schema* schema,
                           const oy_registration* def, const oy_registration* kernel);
oy_status oyi_check_other_kernels(const oyi_op* op, const oy_registration* kernel);

#endif  // OPYARD_SRC_DISPATCH_REGISTRATION_H_
