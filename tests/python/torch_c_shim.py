# SPDX-License-Identifier: Apache-2.0
"""torch._C's _dispatch_* functions on opyard.dispatch: what PyTorch's own test of its
dispatcher is written with."""
import ctypes

from opyard import _C, dispatch, library
from opyard.dispatch import DispatchKey, DispatchKeySet  # noqa: F401

# A kernel is looked at here, and never called.
_never = ctypes.CFUNCTYPE(None)(lambda: None)
_ADDRESS = ctypes.cast(_never, ctypes.c_void_p).value
_T_T, _TT_T = (_ADDRESS, "(Tensor) -> Tensor"), (_ADDRESS, "(Tensor, Tensor) -> Tensor")


class _Module:
    def __init__(self, kind, ns, key="", file="/dev/null", line=0):
        self._at = {"file": file, "line": line}
        self._m = _C.Library(kind, ns, key, **self._at)

    def reset(self):
        self._m.close()

    def def_(self, schema, alias=""):
        self._m.define(schema, alias or "FROM_SCHEMA", **self._at)
        return self

    def def_legacy(self, schema):
        self._m.define(schema, "default", **self._at)
        return self

    def def_name_t_t(self, name, dispatch="", debug="default_def_name_t_t"):
        self._m.define(name + "(Tensor _0) -> Tensor _0", "CONSERVATIVE", **self._at)
        return self.impl_t_t(name, dispatch, debug)

    def def_schema_t_t(self, schema, dispatch="", alias="",
                       debug="default_def_schema_t_t"):
        self.def_(schema, alias)
        return self.impl_t_t(schema.partition("(")[0], dispatch, debug)

    def impl_t_t(self, name, dispatch="", debug="impl_t_t"):
        self._m.impl(name, _T_T, dispatch, allow_override=True, debug=debug, **self._at)
        return self

    def impl_tt_t(self, name, dispatch="", debug="impl_tt_t"):
        self._m.impl(name, _TT_T, dispatch, allow_override=True, debug=debug, **self._at)
        return self

    def impl(self, name, dispatch, func):
        self._m.impl(name, func, dispatch, **self._at)
        return self

    def define(self, schema, alias=""):
        self.def_(schema, alias)
        return schema.partition("(")[0]

    def fallback_fallthrough(self, dispatch=""):
        self._m.fallback(None, dispatch, **self._at)
        return self


_dispatch_library = _Module
_dispatch_dump = dispatch.dump_state
_dispatch_dump_table = dispatch.dump_table
_dispatch_check_invariants = dispatch.check_invariants
_dispatch_check_all_invariants = dispatch.check_invariants
_dispatch_find_dangling_impls = dispatch.find_dangling_impls
_dispatch_get_all_op_names = dispatch.op_names
_dispatch_has_kernel = dispatch.has_kernel
_dispatch_has_kernel_for_dispatch_key = dispatch.has_kernel
_dispatch_has_kernel_for_any_dispatch_key = dispatch.has_kernel_for_any
_dispatch_has_computed_kernel_for_dispatch_key = dispatch.has_computed_kernel_for
_dispatch_kernel_for_dispatch_key_is_fallthrough = dispatch.kernel_is_fallthrough
_dispatch_has_backend_fallback = dispatch.has_fallback
_dispatch_get_registrations_for_dispatch_key = dispatch.get_registrations_for_dispatch_key
_dispatch_print_registrations_for_dispatch_key = dispatch.print_registrations_for_dispatch_key
_dispatch_keys = dispatch.keys
_dispatch_key_set = lambda tensor: repr(dispatch.keys(tensor))  # noqa: E731
_dispatch_keyset_to_string = repr
_dispatch_keyset_full_after = dispatch.full_after
_dispatch_key_name = lambda key: DispatchKey(key).name  # noqa: E731
_dispatch_key_parse = _parse_dispatch_key = DispatchKey
_dispatch_is_alias_key = lambda key: DispatchKey(key).is_alias  # noqa: E731
_dispatch_is_included_in_alias = dispatch.is_included_in_alias
_dispatch_num_backends = lambda: len(dispatch.backends())  # noqa: E731
_dispatch_tls_local_include_set = dispatch.tls_included
_dispatch_tls_local_exclude_set = dispatch.tls_excluded
_dispatch_tls_is_dispatch_key_included = dispatch.tls_is_included
_dispatch_tls_is_dispatch_key_excluded = dispatch.tls_is_excluded
_dispatch_tls_set_dispatch_key_included = dispatch.tls_set_included
_dispatch_tls_set_dispatch_key_excluded = dispatch.tls_set_excluded
_IncludeDispatchKeyGuard, _ExcludeDispatchKeyGuard = dispatch.include, dispatch.exclude
_ForceDispatchKeyGuard, _PreserveDispatchKeyGuard = dispatch.force, dispatch.preserve
_AutoDispatchBelowAutograd = dispatch.below_autograd
_AutoDispatchBelowADInplaceOrView = dispatch.below_adinplaceorview
_DisableTorchDispatch = dispatch.without_handlers
_library = library
