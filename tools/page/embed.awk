# Makes one page of tools/page/page.html: replaces a line `<!-- include FILE -->` by that file, and `<!-- include d3 -->`
# by the files that -v d3="..." names.
#   awk -v folder=tools/page -v d3="A.js B.js" -f tools/page/embed.awk tools/page/page.html
function include(file,    line) {
  while ((getline line < file) > 0)
    print line
  close(file)
}
/^<!-- include .* -->$/ {
  if ($3 != "d3") {
    include(folder "/" $3)
    next
  }
  count = split(d3, files, " ")
  for (i = 1; i <= count; i++)
    include(files[i])
  next
}
{ print }
