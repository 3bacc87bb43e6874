// A page that was opened as a file may load nothing that the playground is made of: no modules, no worker, no data.
if (location.protocol === "file:")
  document.getElementById("status").textContent = "The playground wants a web server: `warpwait playground` is one.";
