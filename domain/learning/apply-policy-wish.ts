/** A person's wish for the version of a policy that is in force. */
export type PolicyWish = { kind: 'pin' | 'rollback'; version: number } | { kind: 'unpin' };

interface Standing {
  inForce: number;
  pinned: boolean;
  halted: string | null;
}

/** The answer to a wish: what changes and how that is told, that nothing does, or why it cannot be. */
export type Steering = { change: Partial<Standing>; how: string } | { change: null } | { refused: string };

/** Follows a wish; a version is one that there is. */
export function applyPolicyWish({ inForce, pinned, halted }: Standing, wish: PolicyWish): Steering {
  if (wish.kind === 'unpin')
    return pinned ? { change: { pinned: false }, how: 'the pin is taken off' } : { change: null };
  const { kind, version } = wish;
  if (kind === 'pin') {
    if (pinned && inForce === version) return { change: null };
    return { change: { inForce: version, pinned: true }, how: 'pinned' };
  }
  if (pinned)
    return {
      refused: `Expected a policy that is not pinned, came one that is pinned to version ${inForce}: take the pin off first, with pin --off`,
    };
  if (inForce === version && halted === null) return { change: null };
  const how = inForce === version ? 'learning goes on' : 'rolled back';
  return { change: { inForce: version, halted: null }, how };
}
