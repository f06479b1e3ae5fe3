import { DefaultNamingStrategy } from 'typeorm';

/** Maps a property to its column, for example `organizationId` to `organization_id`. */
export class SnakeCaseNaming extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? propertyName.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}
