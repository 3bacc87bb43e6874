// A page that was opened as a file may load nothing that the playground is made of: no modules, no worker, no data.
if (location.protocol === "file:")
  document.getElementById("status").textContent = "The playground needs a web server: run `warpwait playground`.";
