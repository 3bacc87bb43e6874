# Makes one page of sim/html/page.html: a line `<!-- include FILE -->` stands for that file's lines, one
# `<!-- include d3 -->` for those of the files named by -v d3="...".
#   awk -v folder=sim/html -v d3="A.js B.js" -f sim/html/embed.awk sim/html/page.html
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
