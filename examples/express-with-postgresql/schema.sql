create table crypto_orders (
  kind text not null,
  service_id text not null,
  view_token text not null,
  created_at text,
  order_no text,
  quote_id text,
  status text,
  primary key (kind, service_id)
);
-- Each line is what `tieout quotes import` reads: psql -At -c 'select line from quotes' > quotes.ndjson
create table quotes (quote_id text primary key, line text not null);
