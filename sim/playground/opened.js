// A page opened as a file must not load any part of the playground: no modules, no worker, no data.
if (location.protocol === "file:")
  document.getElementById("status").textContent = "The playground wants a web server: `warpwait playground` is one.";
