document.getElementById('go-on').submit();
