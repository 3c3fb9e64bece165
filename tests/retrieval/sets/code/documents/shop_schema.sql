-- Schema of the shop database (PostgreSQL).
-- Money is stored in cents as bigint; times are stored with time zone.

create table customer (
    customer_id   bigint generated always as identity primary key,
    email         text not null unique,
    display_name  text not null,
    country       char(2) not null default 'DK',
    credit_cents  bigint not null default 0,
    created_at    timestamptz not null default now(),
    erased_at     timestamptz            -- set when the customer asked for erasure
);

create table article (
    article_no    text primary key check (article_no ~ '^[A-Z]{2}-[0-9]{5}$'),
    title         text not null,
    price_cents   bigint not null check (price_cents >= 0),
    tax_class     text not null check (tax_class in ('full', 'reduced', 'none')),
    stock         integer not null default 0
);

create type order_state as enum
    ('draft', 'placed', 'paid', 'packed', 'shipped', 'closed', 'cancelled');

create table purchase_order (
    order_id      bigint generated always as identity primary key,
    customer_id   bigint not null references customer,
    state         order_state not null default 'draft',
    placed_at     timestamptz,
    voucher_code  text
);

create table order_line (
    order_id      bigint not null references purchase_order on delete cascade,
    line_no       smallint not null,
    article_no    text not null references article,
    quantity      integer not null check (quantity between 1 and 999),
    price_cents   bigint not null,        -- price at the time of the order
    primary key (order_id, line_no)
);

create table payment (
    payment_id    bigint generated always as identity primary key,
    order_id      bigint not null references purchase_order,
    method        text not null check (method in ('card', 'transfer', 'wallet')),
    cents         bigint not null,
    provider_ref  text unique
);

-- Money that goes back to the customer.  Partial amounts are possible, so an
-- order may have several rows here.
create table money_back (
    money_back_id bigint generated always as identity primary key,
    payment_id    bigint not null references payment,
    cents         bigint not null check (cents > 0),
    reason        text not null check (reason in ('return', 'damage', 'goodwill', 'duplicate')),
    approved_by   text,
    booked_at     timestamptz
);

create table parcel (
    parcel_id     bigint generated always as identity primary key,
    order_id      bigint not null references purchase_order,
    carrier       text not null,
    tracking_no   text,
    weight_grams  integer check (weight_grams <= 31500)
);

-- The warehouse looks for open orders every few seconds.
create index open_orders on purchase_order (placed_at)
    where state in ('paid', 'packed');
