/* What the scoreboard needs to know about an instruction: the slots that it writes and reads. */
#include "isa/rows.h"

#include <assert.h>
#include <string.h>

unsigned isa_operand_slots(const struct isa_inst *inst, char letter, uint16_t slot[ISA_OPERAND_SLOTS]) {
  const struct isa_operand *operand = isa_operand(letter);
  const uint8_t fields[ISA_FIELDS] = {ISA_NO_REGISTER, inst->d, inst->a, inst->b, inst->c};
  unsigned count = 0;
  if (inst->flags & operand->number)
    return 0;
  for (unsigned i = 0; i < 2; i++) {
    const uint8_t field = fields[operand->named[i].field];
    const enum isa_type type = isa_operand_type(&isa_rows[inst->op], operand->named[i]);
    if (field != ISA_NO_REGISTER && type == TYPE_PRED)
      slot[count++] = (uint16_t)(256u + field);
    for (unsigned word = 0; field != ISA_NO_REGISTER && word < isa_types[type].registers; word++)
      slot[count++] = (uint16_t)(field + word);
  }
  for (unsigned i = 0; i < operand->listed; i++) {
    const uint8_t field = (uint8_t)(inst->imm >> (operand->shift + 8 * i));
    if (field == ISA_NO_REGISTER)
      break;
    slot[count++] = field;
  }
  return count;
}

static void add(struct isa_info *info, uint32_t slot) {
  assert(info->slots < ISA_INFO_SLOTS && "the widest format fits");
  info->slot[info->slots++] = (uint16_t)slot;
}

/* Adds the slots of the operands that are results, or of all others. */
static void add_operands(struct isa_info *info, const struct isa_inst *inst, bool results) {
  for (const char *letter = isa_formats[isa_rows[inst->op].format].operands; *letter; letter++) {
    uint16_t slot[ISA_OPERAND_SLOTS];
    const unsigned count = isa_operand_slots(inst, *letter, slot);
    for (unsigned i = 0; i < count && (isa_operand(*letter)->role == OPERAND_RESULT) == results; i++)
      add(info, slot[i]);
  }
}

void isa_describe(const struct isa_inst *inst, struct isa_info *info) {
  const struct isa_row *row = &isa_rows[inst->op];
  *info = (struct isa_info){.class_ = row->class_, .on_unit = isa_on_unit(row->class_)};
  add_operands(info, inst, true);
  info->writes = info->slots;
  add_operands(info, inst, false);
  if (row->class_ == ISA_CLASS_COPY) /* a copy reads its event before it replaces it */
    add(info, inst->d);
  if (inst->guard)
    add(info, 256u + ((inst->guard - 1u) >> 1));
  const unsigned sync = isa_row_sync(inst->op);
  info->local_fence = sync & SYNC_LDS;
  info->global_fence = sync & SYNC_GLOBAL;
  const char *operands = isa_formats[row->format].operands;
  /* Without printf, which has an address but reads what its descriptor says. */
  const bool memory = strpbrk(operands, "GHLo") && row->a != TYPE_NONE;
  const bool pipe = row->class_ == ISA_CLASS_PIPE;
  info->bytes = memory || pipe ? isa_types[row->a].bytes : 0;
  info->atomic = pipe || (memory && strchr(operands, 'D')) || row->format == FORMAT_MBARRIER_ARRIVE;
  info->store = memory && row->d == TYPE_NONE && row->format != FORMAT_COPY_LANE && !info->atomic;
  if (row->class_ == ISA_CLASS_TEXTURE || row->format == FORMAT_IMAGE_STORE)
    info->bytes = isa_types[TYPE_B128].bytes; /* an upper bound: the image decides */
  info->store |= row->format == FORMAT_IMAGE_STORE;
  info->indivisible = info->atomic || row->via == ISA_VIA_ATOMIC;
  info->past_l1 = row->space == ISA_SPACE_GLOBAL && row->access == ISA_ACCESS_LOAD && row->via != ISA_VIA_PLAIN;
  info->to_global = row->class_ == ISA_CLASS_COPY && !isa_formats[row->format].to_lds;
  const unsigned operands_sent = info->store ? 1 : info->atomic && !pipe ? 1 + (row->b != TYPE_NONE) : 0;
  const bool takes_data = row->c != TYPE_NONE;
  info->sent = takes_data ? (uint8_t)(operands_sent * ((info->bytes + 3u) / 4)) : 0;
}
