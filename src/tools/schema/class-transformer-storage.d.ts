// class-transformer keeps the metadata of @Type here and exports no other way to read it.
declare module 'class-transformer/cjs/storage.js' {
  export const defaultMetadataStorage: {
    findTypeMetadata(
      target: abstract new (...arguments_: never[]) => object,
      property: string,
    ): { typeFunction?: () => unknown } | undefined;
  };
}
