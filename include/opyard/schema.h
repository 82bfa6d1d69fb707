// SPDX-License-Identifier: Apache-2.0
// Operator names and schemas, in PyTorch's schema language.
// Behaviour: PyTorch 2.6; where that cannot be parsed back from what it prints
// (defaults of enum arguments, quoted device names, alias sets in hash order),
// opyard prints a form that can: parse(print(s)) equals s.
//
// A schema is immutable once parsed and owns everything reachable from it, so
// any number of threads may read it. Views (oy_str, pointers to arguments,
// types) live as long as the schema.
#ifndef OPYARD_SCHEMA_H_
#define OPYARD_SCHEMA_H_

#include "opyard/status.h"

OY_BEGIN_DECLS

// "ns::base.overload". |ns| is empty if none was given; an empty |overload| is
// the default overload.
typedef struct oy_op_name {
  oy_str ns;
  oy_str base;
  oy_str overload;
} oy_op_name;

// Parses IDENT [:: IDENT] [. IDENT]; views point into |text|. Blank space around
// the parts is allowed. PARSE with the position if the text is no name, or the
// overload is "default" or begins with two underscores; then *out_name is empty.
OY_API OY_MUST_USE oy_status oy_op_name_parse(oy_str text, oy_op_name* out_name);

// What a type is. The fake type of SymInt, ScalarType, Layout and MemoryFormat
// is int; |kind| here is the real type, which is what is printed and compared.
typedef enum oy_type_kind {
#define OY_TYPE(name, text) OY_TYPE_##name,
#include "opyard/types.def"
#undef OY_TYPE
  OY_TYPE_COUNT
} oy_type_kind;

// LIST and OPTIONAL use |element|; FUTURE, AWAIT, RREF too; DICT uses |element|
// (the key) and |value|; TUPLE and UNION use |fields|; CLASS and VAR have
// |name| ("__torch__.torch.classes.ns.Name", "t").
typedef struct oy_type oy_type;
struct oy_type {
  oy_type_kind kind;
  int64_t fixed_size;  // LIST: N of "int[N]", 1 to 4096; 0 if not given
  const oy_type* element;
  const oy_type* value;
  const oy_type* const* fields;
  size_t field_count;
  oy_str name;
};

// One alias annotation: (a), (a!), (a -> *), (a! -> a|b). Sets are sorted and
// hold each name once, 64 at most; the wildcard is the name "*". Without "->",
// |after| equals |before|. |anonymous| marks the form "Tensor!", a write to a set
// of its own; its sets are empty.
// "Tensor(a!)[]" annotates the element: the alias of the list has empty sets and
// the element's |is_write|. Annotations inside tuples, dictionaries, unions and
// futures are checked but, as in PyTorch, not kept.
typedef struct oy_alias {
  const oy_str* before;
  size_t before_count;
  const oy_str* after;
  size_t after_count;
  bool is_write;
  bool anonymous;
  bool has_after;                  // "->" was written
  const struct oy_alias* element;  // annotation of the contained type, or NULL
} oy_alias;

// What a default may be depends on the type, and others are refused:
//   int, SymInt, Layout, MemoryFormat, DeviceIndex, QScheme: an INT, or one of the
//     words float (6), complex (9), long (4), strided (0), Mean (1) and
//     contiguous_format (0); ScalarType besides takes the names of dtypes
//   float: FLOAT, also where it is written as an int; inf and nan
//   complex: COMPLEX, from "2.", "3j" or "2.+3.j"
//   Scalar: INT, FLOAT ("1.", "1e0", inf, nan), COMPLEX or BOOL, as written
//   bool: True or False; str, Dimname, Device: a string literal
//   lists of int, float, bool, complex and enums: [...], or one item for "int[N]"
// None is possible for all but lists, and the only default of any other type.
// An optional takes what its element takes; but a number keeps the kind that it
// was written in: "float? x=1" holds the INT 1, as in PyTorch.
typedef enum oy_default_kind {
  OY_DEFAULT_ABSENT,
  OY_DEFAULT_NONE,
  OY_DEFAULT_INT,
  OY_DEFAULT_FLOAT,
  OY_DEFAULT_BOOL,
  OY_DEFAULT_COMPLEX,
  OY_DEFAULT_STR,
  OY_DEFAULT_LIST
} oy_default_kind;

typedef struct oy_default {
  oy_default_kind kind;
  bool broadcast;
  int64_t i;    // INT, BOOL
  double re;    // FLOAT, COMPLEX
  double im;    // COMPLEX
  oy_str text;  // STR: the unescaped text; else how it was written, if as a name
  const struct oy_default* items;  // LIST; a scalar given for "int[N]" is stored
  size_t item_count;               // as N items with |broadcast| set
} oy_default;

typedef struct oy_argument {
  oy_str name;  // may be empty for a return
  const oy_type* type;
  const oy_alias* alias;  // NULL if not annotated
  oy_default default_value;
  bool kwarg_only;
  bool is_out;       // kwarg-only and written
  bool is_dispatch;  // Tensor, Tensor?, Tensor[] or Tensor?[]: gives keys
} oy_argument;

typedef enum oy_alias_kind {
  OY_ALIAS_FROM_SCHEMA,
  OY_ALIAS_CONSERVATIVE,
  OY_ALIAS_PURE_FUNCTION,
  OY_ALIAS_INTERNAL_SPECIAL_CASE
} oy_alias_kind;

typedef struct oy_schema {
  oy_op_name name;
  oy_str full_name;  // "ns::base.overload" as one view
  const oy_argument* arguments;
  size_t argument_count;
  const oy_argument* returns;
  size_t return_count;
  bool is_vararg;
  bool is_varret;
} oy_schema;

typedef enum oy_schema_flags {
  OY_SCHEMA_DEFAULT = 0,
  // Lower-case unknown identifiers are type variables (but for "double" and
  // "int64_t", which are mistakes); without it only schemas of the namespaces aten
  // and prim may have them.
  OY_SCHEMA_ALLOW_TYPE_VARIABLES = 1 << 0,
  // Names of arguments and returns may be missing and are then _0, _1, ...; the
  // name of the operator too. For kernel signatures: "(Tensor, Scalar) -> Tensor".
  OY_SCHEMA_SIGNATURE = 1 << 1
} oy_schema_flags;

// Parses one declaration; newlines may stand before it, after it and inside its
// brackets. At most 64 arguments, 64 returns and types nested 32 deep. Which custom
// classes exist is not checked. Time and memory are linear in the length of the
// text, but for the N copies of a default that "int[N]" makes.
//
// PARSE: the message is PyTorch's text, then "line 1, column 15, at '->':", then
// the line, cut around the position, and "~~ <--- HERE" below it. Columns are
// bytes, from 1. OUT_OF_MEMORY. On failure *out_schema is NULL. Thread-safe.
OY_API OY_MUST_USE oy_status oy_schema_parse(oy_str text, unsigned flags,
                                             oy_schema** out_schema);
OY_API void oy_schema_free(oy_schema* schema);  // takes NULL

// The canonical text, NUL-terminated, freed with oy_text_free. It is what PyTorch
// prints, but for what that cannot read back, and is the same in every locale:
//   a float that is integral and below 1e10 prints as "1.", others with up to 17
//   significant digits ("1.0000000000000001e-05") and never as an int would;
//   enum values print as numbers, devices as "cpu" with quotes, "Tensor!" as such,
//   alias sets in the order of their names; an int[N] (not SymInt[N], not int[N]?)
//   whose N > 1 defaults are equal prints one of them.
OY_API OY_MUST_USE oy_status oy_schema_print(const oy_schema* schema, char** out_text);
OY_API OY_MUST_USE oy_status oy_type_print(const oy_type* type, char** out_text);
OY_API void oy_text_free(char* text);

OY_API bool oy_type_equal(const oy_type* a, const oy_type* b);
// Equal in everything that is printed (order inside alias sets aside).
// oy_type_equal tells int[2] from int[3].
OY_API bool oy_schema_equal(const oy_schema* a, const oy_schema* b);

// --- What alias annotations mean (PyTorch reference, section 2.3) -------------

OY_API bool oy_schema_is_mutable(const oy_schema* schema);
OY_API bool oy_argument_is_mutable(const oy_argument* argument);
OY_API bool oy_argument_is_aliasing(const oy_argument* argument);
// An argument or return is mutable if its annotation has "!", and aliasing if it
// has one. The two may_ predicates take time in proportion to the product of the
// sizes of the two types.
//
// In place: mutable, exactly one return, first argument written and nothing else
// annotated, return written.
OY_API bool oy_schema_is_inplace(const oy_schema* schema);
OY_API bool oy_schema_is_out(const oy_schema* schema);   // has an is_out argument
OY_API bool oy_schema_is_view(const oy_schema* schema);  // aliases, no write
OY_API bool oy_schema_is_functional(const oy_schema* schema);
// Both annotated with sets that meet, and of types that can be the same object:
// numbers and strings never are, T? is what T is, int[2] is what int[] is.
OY_API bool oy_argument_may_alias(const oy_argument* a, const oy_argument* b);
// As may_alias, but containers and wildcards count as able to hold the other.
OY_API bool oy_argument_may_contain_alias(const oy_argument* a, const oy_argument* b);
// Index of the argument that return |i| *is* (not merely aliases): its alias
// set is written and shared with exactly that argument. -1 if none.
OY_API int oy_schema_return_argument(const oy_schema* schema, size_t i);

// --- Comparing ----------------------------------------------------------------

// Checks a kernel's inferred signature against the declared schema: number of
// arguments, number of returns, type of each. Names, defaults, kwarg-only and
// alias information are not compared; a SymInt in an argument of |declared|
// also matches int there (in lists and optionals too), and what C passes alike is
// alike: int[N] and int[], Dimname and str, DeviceIndex, ConstQuantizerPtr and int.
// On a difference SCHEMA_MISMATCH, and *out_reason (free with oy_text_free) is
// "The number of arguments is different. 2 vs 1." and the like (PyTorch reference,
// section 2.6). |out_reason| may be NULL.
OY_API oy_status oy_schema_check_signature(const oy_schema* declared,
                                           const oy_schema* inferred, char** out_reason);

// New against old schema (section 2.8). Backward: true if every call that the old
// one took is taken by the new one. Forward: besides, types of arguments are not
// wider, their defaults the same, and there are as many out arguments.
// Otherwise false, with the reason in *out_reason (may be NULL; free with
// oy_text_free; NULL too if there is no memory for it).
OY_API bool oy_schema_is_backward_compatible(const oy_schema* newer,
                                             const oy_schema* older, char** out_reason);
OY_API bool oy_schema_is_forward_compatible(const oy_schema* newer,
                                            const oy_schema* older, char** out_reason);

OY_END_DECLS

#endif  // OPYARD_SCHEMA_H_
