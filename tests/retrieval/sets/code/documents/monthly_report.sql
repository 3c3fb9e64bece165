-- Figures for the monthly meeting.  Run by the scheduler on the second day of
-- each month; the parameter :month is the first day of the month reported on.

-- 1. Turnover per country.  Cancelled orders and drafts do not count.
with orders as (
    select o.order_id, c.country,
           sum(l.quantity * l.price_cents) as cents
    from purchase_order o
    join customer c using (customer_id)
    join order_line l using (order_id)
    where o.placed_at >= :month
      and o.placed_at < :month + interval '1 month'
      and o.state not in ('draft', 'cancelled')
    group by o.order_id, c.country
)
select country,
       count(*) as orders,
       round(sum(cents) / 100.0, 2) as turnover,
       round(avg(cents) / 100.0, 2) as mean_basket
from orders
group by country
having count(*) >= 5            -- smaller countries are left out for privacy
order by turnover desc;

-- 2. Return rate per article.  An article is listed when more than 8 percent
--    of the pieces sold came back.
select l.article_no,
       sum(l.quantity) as sold,
       sum(r.pieces) as returned,
       round(100.0 * sum(r.pieces) / sum(l.quantity), 1) as percent
from order_line l
join returned_piece r using (order_id, article_no)
join purchase_order o using (order_id)
where o.placed_at >= :month - interval '2 months'
  and o.placed_at < :month + interval '1 month'
group by l.article_no
having sum(r.pieces) > 0.08 * sum(l.quantity)
order by percent desc
limit 40;

-- 3. Sleeping customers: no order for 18 months, but at least three before.
select c.customer_id, c.email, max(o.placed_at) as last_order
from customer c
join purchase_order o using (customer_id)
where c.erased_at is null
group by c.customer_id, c.email
having count(*) >= 3
   and max(o.placed_at) < :month - interval '18 months';

-- 4. Median time from payment to dispatch, in hours, per carrier.
select p.carrier,
       percentile_cont(0.5) within group (
           order by extract(epoch from d.shipped_at - d.paid_at) / 3600
       ) as median_hours
from parcel p
join dispatch_times d using (order_id)
where d.shipped_at >= :month
  and d.shipped_at < :month + interval '1 month'
group by p.carrier;
