/* Small starting points next to the examples: an empty kernel, and a copy with its wait. */
const launch = (kernel, bytes, global, local) => `{
  "name": "${kernel}",
  "program": "kernel.wws",
  "machine": "teaching",
  "buffers": {
    "data": { "bytes": ${bytes}, "elem": "uint", "fill": "iota" }
  },
  "launches": [
    { "kernel": "${kernel}", "global": [${global}], "local": [${local}], "args": [{ "buffer": "data" }] }
  ]
}
`;

const SMALLEST = `; Every work-item writes its number.
.kernel number
.arg    data global
.reg    i, at
.reg64  p

        get.global_id   i, x
        shl.b32         at, i, 2        ; 4 bytes each
        ld.arg.b64      p, data
        st.global.b32   [p + at], i
        exit
`;

const COPY =
    `; A work-group copies its tile into the LDS, waits for it, adds up what is there and writes one number a work-item.
.kernel tile
.arg    data global
.lds    tile 512                        ; 64 work-items x 8 bytes
.reg    e, i, group, first, at, a, b
.reg64  p

        get.group_id    group, x
        mul.i32         first, group, 128       ; 128 numbers a group
        ld.arg.b64      p, data
        mad.wide.u32    p, first, 4, p

        copy.to_lds     e, [tile], [p], 128, size=4
        get.local_id    i, x                    ; while the copy runs
        shl.b32         at, i, 2
        wait            e

        ld.lds.b32      a, [tile + at]
        ld.lds.b32      b, [tile + at + 256]
        add.i32         a, a, b
        st.global.b32   [p + at], a
        exit
`;

const template = (name, title, kernel, text) => ({
  name,
  title,
  kind: "template",
  launch: "launch.json",
  files: {"kernel.wws": text, "launch.json": kernel},
  binary: {}
});

export const TEMPLATES = [
  template("template_kernel", "The smallest kernel", launch("number", 1024, 256, 64), SMALLEST),
  template("template_copy", "One copy, one wait", launch("tile", 2048, 256, 64), COPY),
];
