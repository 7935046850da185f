from tetrion.lab.papers.paper import Paper
from tetrion.lab.papers.tetrais_measuring import MEASUREMENTS
PAPER = Paper(name="tetrais", title="TetrAIs", source="x", about="x", rules="tetrais", measurements=MEASUREMENTS, claims=[])
