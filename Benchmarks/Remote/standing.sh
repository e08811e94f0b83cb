# Sourced by the scripts beside it: a folder, `$work`, and servers whose numbers are put into `servers`, both gone at the end.
work=$(mktemp -d)
servers=()
end() {
  for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap end EXIT

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# Starts nginx with $2 workers at port $1 of this machine: it serves $work/root, from the page cache.
start_nginx() {
  chmod 755 "$work" "$work/root"
  cat >"$work/nginx.conf" <<NGINX
daemon off; worker_processes $2; pid $work/nginx.pid; user root;
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000;
  client_body_temp_path $work/a; proxy_temp_path $work/b; fastcgi_temp_path $work/c; uwsgi_temp_path $work/d; scgi_temp_path $work/e;
  server { listen 127.0.0.1:$1; root $work/root; }
}
NGINX
  "$(PATH=$PATH:/usr/sbin command -v nginx)" -p "$work" -c "$work/nginx.conf" -e "$work/error.log" &
  servers+=($!)
}
