# Makes one page of sim/page/page.html: a line `<!-- include FILE -->` stands for that file's lines, one
# `<!-- include d3 -->` for those of the files named by -v d3="...".
#   awk -v folder=sim/page -v d3="A.js B.js" -f sim/page/embed.awk sim/page/page.html
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
