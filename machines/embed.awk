# Turns machine files into C: the built-in machines of the binary.
#   awk -f machines/embed.awk machines/*.ini > presets.c
function end() { if (NR > 1) print "     \"\"}," }
BEGIN {
  print "/* The built-in machines, made by machines/embed.awk. */"
  print "#include \"sim/launch/machines.h\"\n"
  print "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n"
  print "const struct preset presets[] = {"
}
FNR == 1 {
  end()
  name = FILENAME
  sub(/.*\//, "", name)
  sub(/\.ini$/, "", name)
  print "    {\"" name "\","
}
{
  gsub(/\\/, "\\\\")
  gsub(/"/, "\\\"")
  print "     \"" $0 "\\n\""
}
END {
  print "     \"\"},\n};"
  print "const size_t preset_count = sizeof presets / sizeof *presets;"
}
