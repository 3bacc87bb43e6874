/* What the scoreboard must know of an instruction: which slots it writes and reads. */
#include "isa/rows.h"

#include <assert.h>
#include <string.h>

static void add(struct isa_info *info, uint32_t slot) {
  assert(info->slots < ISA_INFO_SLOTS && "the widest format fits");
  info->slot[info->slots++] = (uint16_t)slot;
}

/* The slots of one register operand: 1, 2 or 4 registers, or a predicate. */
static void add_operand(struct isa_info *info, uint8_t field, enum isa_type type) {
  if (field == ISA_NO_REGISTER || type == TYPE_NONE)
    return;
  if (type == TYPE_PRED) {
    add(info, 256u + field);
    return;
  }
  for (uint32_t i = 0; i < isa_types[type].registers; i++)
    add(info, (uint32_t)field + i);
}

static void add_written(struct isa_info *info, const struct isa_inst *inst, const struct isa_row *row) {
  if (strpbrk(isa_formats[row->format].operands, "dD"))
    add_operand(info, inst->d, row->d);
  info->writes = info->slots;
}

static void add_read(struct isa_info *info, const struct isa_inst *inst, const struct isa_row *row) {
  for (const char *letter = isa_formats[row->format].operands; *letter; letter++) {
    switch (*letter) {
    case 'a':
      add_operand(info, inst->a, row->a);
      break;
    case 'b':
    case 'B':
      add_operand(info, inst->b, row->b);
      break;
    case 'c':
    case 'C':
      add_operand(info, inst->c, row->c);
      break;
    case 'G':
    case 'I':
      add_operand(info, inst->b, TYPE_U32);
      add_operand(info, inst->a, TYPE_U64);
      break;
    case 'H':
    case 'P':
      add_operand(info, inst->a, TYPE_U64);
      break;
    case 'L':
    case 'l':
    case 'r':
      add_operand(info, inst->a, TYPE_U32);
      break;
    case 'g':
      add_operand(info, inst->b, TYPE_U64);
      break;
    case 'n':
    case 'N':
    case 'R':
      add_operand(info, inst->c, TYPE_U32);
      break;
    case 't':
      if (!(inst->flags & ISA_FLAG_IMM_STRIDE))
        add(info, copy_stride(inst));
      break;
    case 's':
    case 'S':
      for (unsigned i = 0; i < copy_fields(*letter); i++)
        add(info, copy_register(inst, i));
      break;
    case 'w':
      for (unsigned i = 0; i < ISA_WAIT_EVENTS && wait_register(inst, i) != ISA_NO_REGISTER; i++)
        add(info, wait_register(inst, i));
      break;
    default:
      break;
    }
  }
  if (row->class_ == ISA_CLASS_COPY) /* a copy looks at its event before it replaces it */
    add(info, inst->d);
}

void isa_describe(const struct isa_inst *inst, struct isa_info *info) {
  const struct isa_row *row = &isa_rows[inst->op];
  *info = (struct isa_info){.class_ = row->class_};
  add_written(info, inst, row);
  add_read(info, inst, row);
  if (inst->guard)
    add(info, 256u + ((inst->guard - 1u) >> 1));
  const unsigned sync = isa_row_sync(inst->op);
  info->local_fence = sync & SYNC_LDS;
  info->global_fence = sync & SYNC_GLOBAL;
  const char *operands = isa_formats[row->format].operands;
  const bool memory = strpbrk(operands, "GHLo") && row->a != TYPE_NONE; /* printf reads what its format says */
  const bool pipe = row->class_ == ISA_CLASS_PIPE;
  info->bytes = memory || pipe ? isa_types[row->a].bytes : 0;
  info->atomic = pipe || (memory && strchr(operands, 'D')) || row->format == FORMAT_MBARRIER_ARRIVE;
  info->store = memory && row->d == TYPE_NONE && row->format != FORMAT_COPY_LANE && !info->atomic;
  info->indivisible = info->atomic || (inst->op >= ISA_LD_LDS_ATOMIC_32 && inst->op <= ISA_ST_GLOBAL_ATOMIC_64);
  info->past_l1 = (inst->op >= ISA_LD_GLOBAL_L2_U8 && inst->op <= ISA_LD_GLOBAL_L2_128) ||
                  inst->op == ISA_LD_GLOBAL_ATOMIC_32 || inst->op == ISA_LD_GLOBAL_ATOMIC_64;
  info->to_global = row->class_ == ISA_CLASS_COPY && operands[1] == 'g';
  const unsigned operands_sent = info->store ? 1 : info->atomic && !pipe ? 1 + (row->b != TYPE_NONE) : 0;
  const bool takes_data = row->c != TYPE_NONE;
  info->sent = takes_data ? (uint8_t)(operands_sent * ((info->bytes + 3u) / 4)) : 0;
}
