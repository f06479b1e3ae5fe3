interface Unread<Connection> {
  readonly connection: Connection;
  readonly owner: string;
  readonly bytes: number;
}

interface Owned<Connection> {
  bytes: number;
  /** The responses, the oldest first. */
  readonly responses: Set<Unread<Connection>>;
}

/** Counts the bytes of responses that clients have not read. Each response has an owner, such as an organization. */
export class UnreadBytes<Connection> {
  private readonly owners = new Map<string, Owned<Connection>>();
  private readonly connections = new Map<Connection, Set<Unread<Connection>>>();
  private sum = 0;

  /** The unread bytes of all owners together. */
  get total(): number {
    return this.sum;
  }

  /** Adds a response. Returns a function that removes it, and that has no effect after the first call. */
  add(connection: Connection, owner: string, bytes: number): () => void {
    const unread = { connection, owner, bytes };
    let owned = this.owners.get(owner);
    if (!owned) this.owners.set(owner, (owned = { bytes: 0, responses: new Set() }));
    owned.bytes += bytes;
    owned.responses.add(unread);
    this.sum += bytes;
    const ofConnection = this.connections.get(connection);
    if (ofConnection) ofConnection.add(unread);
    else this.connections.set(connection, new Set([unread]));
    return () => this.remove(unread);
  }

  /** Removes the responses of a connection that has ended. */
  removeAll(connection: Connection): void {
    for (const unread of this.connections.get(connection) ?? []) this.remove(unread);
  }

  /**
   * Returns the connection to end when there are too many unread bytes. Chooses the owner that has the most unread
   * bytes, and then the connection with the oldest response of this owner. Returns undefined when there are no unread
   * bytes.
   *
   * The owner is chosen first. Otherwise clients that read nothing would make other owners lose their connections. The
   * oldest response is chosen, because the responses of a client that reads are removed soon.
   */
  findConnectionToEnd(): Connection | undefined {
    let largest: Owned<Connection> | undefined;
    for (const owned of this.owners.values()) {
      if (!largest || owned.bytes > largest.bytes) largest = owned;
    }
    const [oldest] = largest?.responses ?? [];
    return oldest?.connection;
  }

  private remove(unread: Unread<Connection>): void {
    const { connection, owner, bytes } = unread;
    const owned = this.owners.get(owner);
    if (!owned?.responses.delete(unread)) return;
    owned.bytes -= bytes;
    this.sum -= bytes;
    if (owned.responses.size === 0) this.owners.delete(owner);
    const ofConnection = this.connections.get(connection)!;
    ofConnection.delete(unread);
    if (ofConnection.size === 0) this.connections.delete(connection);
  }
}
