/**
 * Token bucket rate limiter for the public interface.
 *
 * Each caller owns a bucket.  A request takes tokens out of it; the bucket is
 * refilled continuously.  Buckets live in memory only, so a restart gives
 * every caller a full bucket.
 */
'use strict';

const PLANS = {
  free: { capacity: 20, refillPerSecond: 0.5 },
  team: { capacity: 120, refillPerSecond: 4 },
  partner: { capacity: 600, refillPerSecond: 25 },
};

// Expensive routes take more than one token.
const COSTS = {
  'POST /reports': 10,
  'GET /search': 3,
};

const SWEEP_EVERY_MS = 60 * 1000;
const FORGET_AFTER_MS = 15 * 60 * 1000; // a bucket unused for this long is dropped

class RateLimiter {
  constructor(now = Date.now) {
    this.now = now;
    this.buckets = new Map();
    this.lastSweep = now();
  }

  costOf(method, route) {
    return COSTS[`${method} ${route}`] || 1;
  }

  /** Returns {allowed, remaining, retryAfter} with retryAfter in seconds. */
  take(callerId, planName, method, route) {
    const plan = PLANS[planName] || PLANS.free; // unknown plans are treated as free
    const time = this.now();
    this.sweep(time);
    let bucket = this.buckets.get(callerId);
    if (!bucket) {
      bucket = { tokens: plan.capacity, stamp: time };
      this.buckets.set(callerId, bucket);
    }
    const seconds = (time - bucket.stamp) / 1000;
    bucket.tokens = Math.min(plan.capacity, bucket.tokens + seconds * plan.refillPerSecond);
    bucket.stamp = time;

    const cost = this.costOf(method, route);
    if (bucket.tokens >= cost) {
      bucket.tokens -= cost;
      return { allowed: true, remaining: Math.floor(bucket.tokens), retryAfter: 0 };
    }
    const wait = (cost - bucket.tokens) / plan.refillPerSecond;
    return { allowed: false, remaining: 0, retryAfter: Math.ceil(wait) };
  }

  sweep(time) {
    if (time - this.lastSweep < SWEEP_EVERY_MS) return;
    this.lastSweep = time;
    for (const [id, bucket] of this.buckets) {
      if (time - bucket.stamp > FORGET_AFTER_MS) this.buckets.delete(id);
    }
  }
}

/** Express middleware.  Health checks are never limited. */
function limitRequests(limiter) {
  return (req, res, next) => {
    if (req.path === '/healthz') return next();
    const caller = req.apiKey ? req.apiKey.id : `ip:${req.ip}`;
    const plan = req.apiKey ? req.apiKey.plan : 'free';
    const verdict = limiter.take(caller, plan, req.method, req.path);
    res.set('X-Rate-Remaining', String(verdict.remaining));
    if (verdict.allowed) return next();
    res.set('Retry-After', String(verdict.retryAfter));
    return res.status(429).json({ error: 'too_many_requests' });
  };
}

module.exports = { RateLimiter, limitRequests, PLANS };
