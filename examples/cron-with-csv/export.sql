-- What the app exports, with its own names on the left: psql --csv -f export.sql > inbox/$(date +%F).csv
select kind, service_id as id, view_token, created_at, order_no as host_reference
from crypto_orders
where created_at >= now() - interval '2 days';
