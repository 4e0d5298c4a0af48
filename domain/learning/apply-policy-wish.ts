/** A person's request about the version of a policy that is in force. */
export type PolicyWish = { kind: 'pin' | 'rollback'; version: number } | { kind: 'unpin' };

interface Standing {
  inForce: number;
  pinned: boolean;
  halted: string | null;
}

/** The answer to a request: the change and its description, no change, or the reason for a refusal. */
export type Steering = { change: Partial<Standing>; how: string } | { change: null } | { refused: string };

/** Decides on a request. The caller has checked that its version exists. */
export function applyPolicyWish({ inForce, pinned, halted }: Standing, wish: PolicyWish): Steering {
  if (wish.kind === 'unpin')
    return pinned ? { change: { pinned: false }, how: 'the pin is removed' } : { change: null };
  const { kind, version } = wish;
  if (kind === 'pin') {
    if (pinned && inForce === version) return { change: null };
    return { change: { inForce: version, pinned: true }, how: 'pinned' };
  }
  if (pinned)
    return {
      refused:
        `Expected a policy that is not pinned; it is pinned to version ${inForce}. ` +
        'Remove the pin first: npx perpetua policy pin ID --off',
    };
  if (inForce === version && halted === null) return { change: null };
  const how = inForce === version ? 'learning goes on' : 'rolled back';
  return { change: { inForce: version, halted: null }, how };
}
