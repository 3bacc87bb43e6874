// A page opened as a file must not load any part of the playground: no modules, no worker, no data.
if (location.protocol === "file:")
  document.getElementById("status").textContent = "The playground needs a web server: run `warpwait playground`.";
