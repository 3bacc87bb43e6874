/* Metadata, which the file gives by number behind everything else: source lines, loop hints, and what kernels say of
 * themselves. ll_module.c has found where each node is; nodes are read when something names them. */
#include "opencl/llvm/ll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/need.h"
#include "sim/base/text.h"

enum { MOST_SCOPES = 64 };

/* ---- reading one node ---------------------------------------------------------------------------- */

static struct ll_mark go_to(struct ll *ll, uint32_t node) { return ll_go(ll, ll->node[node], ll->node_line[node]); }

bool ll_node(const struct ll *ll, const struct ll_token *token, uint32_t *node) {
  uint64_t number = 0;
  if (token->kind != LL_META || !token->length || token->length > 9)
    return false;
  for (size_t i = 0; i < token->length; i++) {
    if (token->at[i] < '0' || token->at[i] > '9')
      return false;
    number = number * 10 + (uint64_t)(token->at[i] - '0');
  }
  *node = (uint32_t)number;
  return number < ll->nodes && ll->node[number];
}

/* The fields of !DIName(field: value, ...) that are of use here. */
struct fields {
  struct ll_token kind, filename, directory;
  uint32_t line, column, scope, file; /* scope and file: a node's number + 1 */
};

static struct fields read_fields(struct ll *ll, uint32_t node) {
  struct fields fields = {0};
  const struct ll_mark mark = go_to(ll, node);
  ll_take(ll, "distinct");
  fields.kind = ll->token;
  ll_advance(ll);
  for (bool more = ll_take(ll, "("); more && ll->token.kind != LL_END && !ll_is(ll, ")");) {
    const struct ll_token name = ll->token;
    ll_advance(ll);
    uint32_t number = 0;
    if (name.kind != LL_LABEL) {
      continue;
    } else if (ll_token_is(&name, "line") || ll_token_is(&name, "column")) {
      int64_t value = 0;
      ll_peek_integer(ll, &value);
      *(ll_token_is(&name, "line") ? &fields.line : &fields.column) =
          value < 0 || value > INT32_MAX ? 0 : (uint32_t)value;
    } else if (ll_token_is(&name, "scope") && ll_node(ll, &ll->token, &number)) {
      fields.scope = number + 1;
    } else if (ll_token_is(&name, "file") && ll_node(ll, &ll->token, &number)) {
      fields.file = number + 1;
    } else if (ll_token_is(&name, "filename")) {
      fields.filename = ll->token;
    } else if (ll_token_is(&name, "directory")) {
      fields.directory = ll->token;
    }
    if (ll->token.kind != LL_LABEL && !ll_is(ll, ")"))
      ll_advance(ll);
  }
  ll_return(ll, mark);
  return fields;
}

static uint32_t write_string(struct ll *ll, const char *text) {
  const uint32_t id = ll_id(ll);
  ll_begin(ll, LL_STRINGS, OpString);
  ll_put(ll, id);
  ll_put_text(ll, text, strlen(text));
  ll_finish(ll);
  return id;
}

/* ---- source lines -------------------------------------------------------------------------------- */

/* The OpString of a DIFile. */
static uint32_t file_string(struct ll *ll, uint32_t node) {
  if (ll->node_file[node])
    return ll->node_file[node];
  const struct fields fields = read_fields(ll, node);
  char *name = ll_string(&fields.filename), *folder = ll_string(&fields.directory);
  const bool whole = *name == '/' || !*folder;
  char *path = whole ? need_copy(name) : need_print("%s/%s", folder, name);
  ll->node_file[node] = write_string(ll, path);
  free(name);
  free(folder);
  free(path);
  return ll->node_file[node];
}

/* The file of a scope: its own or that of a scope around it. 0: it has none. */
static uint32_t scope_file(struct ll *ll, uint32_t scope) {
  for (unsigned i = 0; scope && i < MOST_SCOPES; i++) {
    const struct fields fields = read_fields(ll, scope - 1);
    if (fields.file)
      return file_string(ll, fields.file - 1);
    scope = fields.scope;
  }
  return 0;
}

struct ll_place ll_place(struct ll *ll, uint32_t node) {
  const struct fields fields = read_fields(ll, node);
  const uint32_t file = ll_token_is(&fields.kind, "DILocation") ? scope_file(ll, fields.scope) : 0;
  return (struct ll_place){file, fields.line, fields.column};
}

/* ---- loops --------------------------------------------------------------------------------------- */

/* Looks through the nodes that "!{!32, !26, !33}" names. */
uint32_t ll_loop_copies(struct ll *ll, uint32_t node) {
  uint32_t copies = 0, inner;
  const struct ll_mark mark = go_to(ll, node);
  while (ll->token.kind == LL_META || ll_is(ll, "distinct") || ll_is(ll, "{") || ll_is(ll, ",")) {
    if (ll_node(ll, &ll->token, &inner) && inner != node) {
      const struct ll_mark here = go_to(ll, inner);
      ll_advance(ll); /* ! */
      ll_take(ll, "{");
      const struct ll_token hint = ll->token;
      ll_advance(ll);
      if (hint.kind == LL_STRING && ll_token_is(&hint, "llvm.loop.unroll.count") && ll_take(ll, ",")) {
        int64_t count = 0;
        ll_read_type(ll);
        ll_peek_integer(ll, &count);
        copies = count > 0 && count < INT32_MAX ? (uint32_t)count : copies;
      } else if (hint.kind == LL_STRING) {
        copies = ll_token_is(&hint, "llvm.loop.unroll.disable")  ? 1
                 : ll_token_is(&hint, "llvm.loop.unroll.full")   ? UINT32_MAX
                 : ll_token_is(&hint, "llvm.loop.unroll.enable") ? UINT32_MAX
                                                                 : copies;
      }
      ll_return(ll, here);
    }
    ll_advance(ll);
  }
  ll_return(ll, mark);
  return copies;
}

/* ---- kernels ------------------------------------------------------------------------------------- */

/* "!{i32 64, i32 1, i32 1}" as numbers. */
static void read_numbers(struct ll *ll, uint32_t node, uint32_t number[3]) {
  unsigned count = 0;
  const struct ll_mark mark = go_to(ll, node);
  for (; ll->token.kind != LL_END && !ll_is(ll, "}"); ll_advance(ll)) {
    int64_t value;
    if (ll_peek_integer(ll, &value) && count < 3)
      number[count++] = value > 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
  }
  ll_return(ll, mark);
}

/* "!{!"float4*", !"int"}" becomes the string "kernel_arg_type.NAME.float4*,int,", as translators write it. */
static void write_list(struct ll *ll, const struct ll_token *kind, uint32_t node, const struct ll_token *name) {
  struct text list = {0};
  text_print(&list, "%.*s.%.*s.", (int)kind->length, kind->at, (int)name->length, name->at);
  const struct ll_mark mark = go_to(ll, node);
  for (; ll->token.kind != LL_END && !ll_is(ll, "}"); ll_advance(ll))
    if (ll->token.kind == LL_STRING) {
      char *item = ll_string(&ll->token);
      text_print(&list, "%s,", item);
      free(item);
    }
  ll_return(ll, mark);
  write_string(ll, list.data);
  free(list.data);
}

/* "!{<4 x float> undef, i32 0}" as SPIR-V has it: the number of a scalar type, and 2^16 for each component. */
static uint32_t read_vector_hint(struct ll *ll, uint32_t node) {
  enum { HALF = 4 };
  const struct ll_mark mark = go_to(ll, node);
  ll_advance(ll); /* ! */
  ll_take(ll, "{");
  const uint32_t type = ll_read_type(ll);
  ll_return(ll, mark);
  const struct ll_type *scalar = ll_scalar(ll, type);
  const uint32_t size = scalar->bits > 32 ? 3 : scalar->bits / 16;
  return ll_components(ll, type) << 16 | (scalar->kind == LL_REAL ? HALF + size - 1 : size);
}

void ll_kernel_metadata(struct ll *ll, const struct ll_token *kind, uint32_t node, uint32_t function,
                        const struct ll_token *name) {
  const bool required = ll_token_is(kind, "reqd_work_group_size");
  uint32_t size[3] = {1, 1, 1};
  if (required || ll_token_is(kind, "work_group_size_hint")) {
    read_numbers(ll, node, size);
    ll_emit(ll, LL_HEAD, OpExecutionMode, function, required ? ExecutionModeLocalSize : ExecutionModeLocalSizeHint,
            size[0], size[1], size[2]);
  } else if (ll_token_is(kind, "vec_type_hint")) {
    ll_emit(ll, LL_HEAD, OpExecutionMode, function, ExecutionModeVecTypeHint, read_vector_hint(ll, node));
  } else if (ll_token_is(kind, "kernel_arg_type") || ll_token_is(kind, "kernel_arg_type_qual")) {
    write_list(ll, kind, node, name);
  }
}
