/** A seed from a text: 31 bits of FNV-1a. A seed from a trial's id is known before anything is stored. */
export function hashToSeed(trialId: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < trialId.length; i += 1) {
    hash ^= trialId.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash ^ (hash >>> 15)) & 0x7fffffff;
}
