// Rows of the motion as the picture takes them: places of links, poses of bodies, between two ticks.
import type { Description } from '../engine/protocol';
import { pivotOf, pointPose, posesBetween, positionsBetween, type Layout } from '../rows';
import type { Picture } from '../view/view';

export class Places {
  private links = new Float32Array();
  private strains = new Float32Array();
  private ghosts: Float32Array[] = [];

  // Room for what there is now.
  resize({ chains, ghosts }: Description) {
    const links = chains.reduce((sum, chain) => sum + chain.length.length, 0);
    this.links = new Float32Array(3 * links);
    this.strains = new Float32Array(links);
    this.ghosts = ghosts.map(() => new Float32Array(3 * links));
  }

  picture(description: Description, layout: Layout, ghostLayout: Layout, rows: { from: Float64Array; to: Float64Array; part: number }, strainColors: boolean): Omit<Picture, 't'> {
    const { chains, bodies, coordinates } = description;
    const { from, to, part } = rows;
    const offset = (ghost: number) => layout.width + ghost * ghostLayout.width;
    const poses = (of: Layout, at: number) => [...posesBetween(of, bodies, from, to, part, at), ...pointPose(of, coordinates, to, at)];
    positionsBetween(layout, chains, from, to, part, 0, this.links);
    this.ghosts.forEach((places, i) => positionsBetween(ghostLayout, chains, from, to, part, offset(i), places));
    return {
      places: this.links,
      strains: strainColors && chains.some(({ elastic }) => elastic) ? this.strainsIn(description, layout, to) : null,
      ghosts: this.ghosts,
      pivots: chains.map((chain) => pivotOf(layout, chain, to)),
      bodies: poses(layout, 0),
      ghostBodies: description.ghosts.map((_, i) => poses(ghostLayout, offset(i))),
    };
  }

  private strainsIn({ chains }: Description, layout: Layout, row: Float64Array): Float32Array {
    let at = 0;
    for (const chain of chains) {
      const strain = layout.of('strain', chain);
      for (let k = 0; k < chain.length.length; k++) this.strains[at++] = strain < 0 ? 0 : row[strain + k]!;
    }
    return this.strains;
  }
}
