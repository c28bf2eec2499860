// Buttons that every panel with files has.
import { useRef } from 'preact/hooks';
import { openFile } from '../files/drops';
import { savePicture } from '../files/exports';
import { toggleFilm } from '../files/film';
import * as store from '../store';
import { t } from '../texts';
import { Button } from './controls';

export function OpenFile() {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button name="open-file" onClick={() => chooser.current?.click()}>{t('share.open')}</Button>
      <input ref={chooser} type="file" class="hidden" tabIndex={-1} aria-hidden="true" data-control="file" accept=".toml,.json,.csv,.h5,.hdf5,.npz" onChange={(event) => {
        const file = event.currentTarget.files?.[0];
        if (file) void openFile(file);
        event.currentTarget.value = '';
      }} />
    </>
  );
}

export function PictureAndFilm() {
  return (
    <>
      <Button name="save-png" onClick={savePicture}>{t('share.png')}</Button>
      <Button name="film" pressed={store.recording.value} onClick={toggleFilm}>{t(store.recording.value ? 'share.film.stop' : 'share.film')}</Button>
    </>
  );
}
