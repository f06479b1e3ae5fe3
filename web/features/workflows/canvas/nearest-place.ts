/** Describes a place where a box can be dropped. */
export interface DropPlace {
  id: string;
  x: number;
  y: number;
}

/** Describes a box that follows the pointer, and the place where it would go. */
export interface Drag {
  id: string;
  position: { x: number; y: number };
  place?: DropPlace;
  refusal?: string;
}

/** The largest distance to a place. A box that is dropped farther away goes back. */
const REACH = { x: 200, y: 90 } as const;

/** Returns the place that is nearest to a point and within reach. */
export function nearestPlace(
  places: readonly DropPlace[],
  { x, y }: { x: number; y: number },
): DropPlace | undefined {
  let best: DropPlace | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const place of places) {
    const [dx, dy] = [Math.abs(place.x - x), Math.abs(place.y - y)];
    // Boxes are wide and low, so a horizontal distance counts less than a vertical one.
    const distance = dx / 3 + dy;
    if (dx > REACH.x || dy > REACH.y || distance >= least) continue;
    best = place;
    least = distance;
  }
  return best;
}
