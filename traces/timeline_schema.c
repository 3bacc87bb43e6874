#include "traces/timeline_schema.h"

#include "traces/schema.h"

#include <stdio.h>

void timeline_schema_write(struct bytes *into) {
  schema_add(into, "timeline %d\n", TIMELINE_VERSION);
  for (unsigned block = 0; block < TIMELINE_BLOCKS; block++)
    schema_add(into, "block %s %s\n", timeline_block_rows[block].name, timeline_block_rows[block].text);
  for (unsigned kind = 0; kind < TIMELINE_KINDS; kind++) {
    const struct timeline_kind_row *row = &timeline_kind_rows[kind];
    schema_add(into, "kind %s %s %s\n", row->name, timeline_block_rows[row->block].name, row->text);
    schema_add(into, "unit %s %s\n", row->name, row->unit);
    for (unsigned i = 0; i < row->fields; i++)
      schema_add(into, "field %s %s %s %s\n", row->name, row->field[i].name, row->field[i].type, row->field[i].text);
  }
}

/* The fields of each of the file's kinds must be the first of the current ones. */
static const char *fields_fault(const char *schema, const char *own, struct timeline_layout *layout) {
  const char *fault = NULL;
  unsigned known = 0, all = 0;
  for (unsigned kind = 0; !fault && kind < layout->kinds; kind++) {
    char list[100];
    unsigned fields = 0;
    snprintf(list, sizeof list, "field %s", timeline_kind_rows[kind].name);
    fault = schema_list_fault(schema, own, list, 4, &fields);
    layout->fields[kind] = (uint8_t)fields;
    known += fields;
  }
  if (!fault)
    schema_list_fault(schema, schema, "field", 4, &all);
  return fault ? fault : known == all ? NULL : "a field of another kind";
}

const char *timeline_schema_fault(const char *schema, struct timeline_layout *layout, char line[100]) {
  struct bytes text = {0};
  const char *fault;
  unsigned rows = 0;
  *layout = timeline_layout();
  timeline_schema_write(&text);
  bytes_add(&text, "", 1);
  const char *own = (const char *)text.at;
  fault = schema_list_fault(schema, own, "timeline", 2, &rows);
  fault = fault ? fault : rows == 1 ? schema_list_fault(schema, own, "block", 2, &rows) : "no version";
  fault = fault ? fault : schema_list_fault(schema, own, "kind", 3, &layout->kinds);
  fault = fault ? fault : fields_fault(schema, own, layout);
  if (fault)
    schema_fault_line(line, fault);
  free(text.at);
  return fault ? line : NULL;
}
