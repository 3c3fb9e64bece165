/**
 * Permission middleware of the back office.
 *
 * A permission is written as "resource:action".  Roles inherit from each
 * other; "owner" is not a role but is decided for each record.
 */
'use strict';

const ROLES = {
  guest: { inherits: [], grants: ['article:read'] },
  clerk: { inherits: ['guest'], grants: ['order:read', 'order:update', 'customer:read'] },
  accountant: { inherits: ['clerk'], grants: ['invoice:read', 'invoice:create', 'refund:create'] },
  supervisor: { inherits: ['accountant'], grants: ['refund:approve', 'customer:delete', 'report:read'] },
  admin: { inherits: ['supervisor'], grants: ['*'] },
};

// Refunds above this amount need a second person, whatever the role.
const FOUR_EYES_CENTS = 25000;

function grantsOf(roleName, seen = new Set()) {
  if (seen.has(roleName) || !ROLES[roleName]) return [];
  seen.add(roleName);
  const role = ROLES[roleName];
  return role.inherits.reduce((all, parent) => all.concat(grantsOf(parent, seen)), [...role.grants]);
}

function can(user, permission) {
  if (!user || user.suspended) return false;
  const grants = grantsOf(user.role);
  return grants.includes('*') || grants.includes(permission);
}

/**
 * Use as: app.delete('/customers/:id', requirePermission('customer:delete'), handler)
 * Without a signed-in user the answer is 401.  With a user who lacks the
 * permission it is 404 and not 403, so that nobody can probe for records.
 */
function requirePermission(permission, { ownerField } = {}) {
  return (req, res, next) => {
    if (!req.user) return res.status(401).json({ error: 'sign_in_required' });
    if (can(req.user, permission)) return next();
    const isOwner = ownerField && req.record && req.record[ownerField] === req.user.id;
    if (isOwner) return next();
    req.log.warn({ user: req.user.id, permission }, 'permission denied');
    return res.status(404).json({ error: 'not_found' });
  };
}

/** The person who created a refund can never approve it. */
function mayApproveRefund(user, refund) {
  if (!can(user, 'refund:approve')) return false;
  if (refund.createdBy === user.id) return false;
  if (refund.cents > FOUR_EYES_CENTS) return refund.approvals.length >= 1;
  return true;
}

module.exports = { ROLES, can, requirePermission, mayApproveRefund, FOUR_EYES_CENTS };
